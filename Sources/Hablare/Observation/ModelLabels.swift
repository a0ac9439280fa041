/// Gives models the names that metrics show, so that nobody who makes up names makes metrics without end.
struct ModelLabels: Sendable {
    private static let longest = 64
    private static let other = "other"
    private static let none = "none"
    private var known: Set<String> = []

    /// The label of a model.
    mutating func label(of model: String?) -> String {
        guard let model, !model.isEmpty else { return Self.none }
        if known.contains(model) { return model }
        guard known.count < EngineMetric.maximumModels, Self.isName(model) else { return Self.other }
        known.insert(model)
        return model
    }

    private static func isName(_ model: String) -> Bool {
        model.utf8.count <= longest
            && model.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "-_.:/@".utf8.contains(byte)
                }
            }
    }
}
