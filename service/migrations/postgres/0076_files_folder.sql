-- Where the files were when a process last found them: another folder with the same id on its machine is a copy.
ALTER TABLE identity ADD COLUMN folder TEXT;
