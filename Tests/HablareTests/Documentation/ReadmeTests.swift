import Testing

@Suite struct ReadmeTests {
    @Test("The README's code gives the result that the README shows")
    func snippetRuns() async throws {
        let shouted = try await withFolder { try await shout("in the beginning", storingIn: $0) }
        #expect(shouted == "IN THE BEGINNING")
    }
}
