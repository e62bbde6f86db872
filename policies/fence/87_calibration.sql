-- Calibrations: the evidence behind a threshold, kept for good. The owner promotes one; the one before stays, out of force.

set local role fleetmem_owner;

create policy owner_promotes on fleet.calibration for all to fleetmem_owner using (true) with check (true);
create policy console_reads on fleet.calibration for select to fleetmem_operator using ((select fence.on_console()) is not null);
create policy auditor_reads on fleet.calibration for select to fleetmem_auditor using (true);

create function fence.calibration_stamp() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  new.promoted_at := clock_timestamp();
  new.id := fence.new_id(new.promoted_at);
  new.active := true;
  return new;
end $$;

create trigger a_stamp before insert on fleet.calibration for each row execute function fence.calibration_stamp();
create trigger z_never before delete or truncate on fleet.calibration for each statement execute function fence.never();
create trigger z_never_edit before update of id, kind, file_name, file_sha256, labels, model, model_sha256, threshold, precision,
  precision_low, recall, recall_low, evidence, promoted_by, promoted_at on fleet.calibration
  for each statement execute function fence.never();
alter table fleet.calibration enable always trigger z_never;
alter table fleet.calibration enable always trigger z_never_edit;

reset role;

grant select, insert, update on fleet.calibration to fleetmem_owner;
grant select on fleet.calibration to fleetmem_operator, fleetmem_auditor;
