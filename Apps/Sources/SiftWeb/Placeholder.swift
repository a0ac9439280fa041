// Placeholder of an unfinished target.
