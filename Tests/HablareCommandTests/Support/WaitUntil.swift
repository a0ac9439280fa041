/// Lets others run until something is so, or the test's time is over.
func waitUntil(_ condition: () throws -> Bool) async throws {
    while try !condition() {
        try Task.checkCancellation()
        await Task.yield()
    }
}
