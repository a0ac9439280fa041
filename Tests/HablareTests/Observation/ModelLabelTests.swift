import Testing

@testable import Hablare

@Suite struct ModelLabelTests {
    @Test("Models that look like names are labels, and all others share one")
    func names() {
        var labels = ModelLabels()
        #expect(labels.label(of: "gpt-4.1_mini:2/x@1") == "gpt-4.1_mini:2/x@1")
        #expect(labels.label(of: nil) == "none")
        #expect(labels.label(of: "") == "none")
        #expect(labels.label(of: "two words") == "other")
        #expect(labels.label(of: "modèle") == "other")
        #expect(labels.label(of: String(repeating: "a", count: 64)).count == 64)
        #expect(labels.label(of: String(repeating: "a", count: 65)) == "other")
    }

    @Test("The number of model labels is bounded")
    func bound() {
        var labels = ModelLabels()
        let shown = Set((0..<1000).map { labels.label(of: "m\($0)") })
        #expect(shown.count == EngineMetric.maximumModels + 1)
        #expect(shown.contains("other"))
        #expect(labels.label(of: "m0") == "m0", "those that were first stay")
    }
}
