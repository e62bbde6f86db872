-- A policy calls an identity function inside a sub-select, so it runs once a statement and not once a row. Postgres prints
-- such a call as "( SELECT fence.f() AS f)"; any call left after removing those is per row.
select schemaname || '.' || tablename, policyname from pg_policies
 where schemaname = 'fleet'
   and regexp_replace(coalesce(qual, '') || coalesce(with_check, ''), '\( SELECT fence\.[a-z_]+\(\) AS [a-z_]+\)', '', 'g')
       like '%fence.%(%'
