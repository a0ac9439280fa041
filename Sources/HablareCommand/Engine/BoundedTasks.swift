/// Does something for every element, so many at once, in order of their start.
///
/// - Throws: The first error; the others are cancelled and awaited.
func forEachConcurrently<Element: Sendable>(
    _ elements: some Sequence<Element>, limit: Int, _ body: @escaping @Sendable (Element) async throws -> Void
) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        var running = 0
        for element in elements {
            if running >= limit {
                try await group.next()
                running -= 1
            }
            try Task.checkCancellation()
            group.addTask { try await body(element) }
            running += 1
        }
        try await group.waitForAll()
    }
}
