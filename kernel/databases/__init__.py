"""How TESA talks to its database: patient on SQLite, with limits on PostgreSQL, and with plain words for outages."""
