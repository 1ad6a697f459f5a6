//! The script with which sysbench reads a server's counters.

/// A script of a few lines that prints the server's counters.
pub(super) const STATUS: &str = "\
function thread_init() con = sysbench.sql.driver():connect() end
function event()
  local rows = con:query(\"SHOW GLOBAL STATUS LIKE 'Innodb%'\")
  for i = 1, rows.nrows do
    local row = rows:fetch_row()
    print(row[1] .. \"\\t\" .. row[2])
  end
end
";
