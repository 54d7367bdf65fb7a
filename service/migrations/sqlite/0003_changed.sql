-- Only PostgreSQL keeps old versions of rows.
SELECT 1;
