//! Fleet: many machines' usage in one PostgreSQL: schema, sync, the same questions asked of all of them.
