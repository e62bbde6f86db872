-- What the database says that it was built from.
select 'applied policy file', file, sha256 from fence.applied
union all
select 'migration', version_num, '' from fence.migration
