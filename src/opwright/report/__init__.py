"""Records as people read them. Everything here gets plain records and computes nothing."""
