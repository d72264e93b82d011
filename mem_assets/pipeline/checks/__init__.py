"""The acceptance gates. Blocking ones assert that what a stage passes on is sound; the others
tell. Each result names the rows, why it matters and what to do."""
