-- What the worker asks before it takes its first job.

-- name: worker_fence_version
select encode(sha256(convert_to(string_agg(a.file || ' ' || a.sha256, e'\n' order by a.file collate "C"), 'UTF8')), 'hex')
  from fence.applied a;
