import GRDB

extension DatabaseReader {
    /// Reads on the calling thread, which must not be the main one: for functions that run on the concurrent executor, whose
    /// threads a simulation owns. A read takes as long as a few rows do.
    func readHere<R>(_ value: (Database) throws -> R) throws -> R {
        try read(value)
    }
}
