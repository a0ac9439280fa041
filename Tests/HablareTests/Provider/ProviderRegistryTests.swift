import HablareSupport
import HablareTestKit
import Testing

@testable import Hablare

@Suite struct ProviderRegistryTests {
    @Test("Providers are found by id and by response type, in the order they were given")
    func lookup() throws {
        let registry = try ProviderRegistry([
            ScriptedProvider(id: "b"), ScriptedProvider(id: "a", responseType: .audio), ScriptedProvider(id: "c"),
        ])
        #expect(registry.ids == ["b", "a", "c"])
        #expect(registry["a"]?.responseType == .audio && registry["d"] == nil)
        #expect(registry.providers(answering: .text).map(\.id) == ["b", "c"])
        #expect(registry.providers(answering: .embedding).isEmpty)
        #expect(try ProviderRegistry([]).ids == [])
    }

    @Test(
        "Duplicate ids, an empty id and limits that are not positive are refused",
        arguments: [
            [ScriptedProvider(id: "a"), ScriptedProvider(id: "a")], [ScriptedProvider(id: "")],
            [ScriptedProvider(limits: ProviderLimits(concurrency: 0))],
            [ScriptedProvider(limits: ProviderLimits(attemptTimeout: .zero))],
            [ScriptedProvider(limits: ProviderLimits(maximumCharacters: 0))],
            [ScriptedProvider(limits: ProviderLimits(breaker: BreakerPolicy(threshold: 0)))],
            [ScriptedProvider(limits: ProviderLimits(breaker: BreakerPolicy(pause: .zero)))],
        ])
    func refused(providers: [ScriptedProvider]) {
        let error = #expect(throws: AIServiceError.self) { try ProviderRegistry(providers) }
        #expect(error?.code == .invalidConfiguration)
    }

    @Test("Progress is clamped to 0...1, and NaN is ignored")
    func progress() {
        let seen = Locked<[Double]>([])
        let call = ProviderCall(request: AIRequest(prompt: "")) { progress in seen.withLock { $0.append(progress) } }
        for progress in [-1, 0.5, 7, .infinity, .nan] { call.report(progress: progress) }
        #expect(seen.withLock { $0 } == [0, 0.5, 1, 1])
    }
}
