// Placeholder of an unfinished suite.
