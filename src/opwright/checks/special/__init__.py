"""Special values: all of them through elementwise operators, a few among normal ones elsewhere."""
