/// A setting's value, as its ``SettingKind`` reads it.
enum SettingValue: Sendable, Hashable {
    case text(String)
    case texts([String])
    case flag(Bool)
    case whole(Int)
    case number(Double)
    case duration(Duration)

    var text: String? { if case .text(let text) = self { text } else { nil } }
    var texts: [String]? { if case .texts(let texts) = self { texts } else { nil } }
    var flag: Bool? { if case .flag(let flag) = self { flag } else { nil } }
    var whole: Int? { if case .whole(let number) = self { number } else { nil } }
    var number: Double? { if case .number(let number) = self { number } else { nil } }
    var duration: Duration? { if case .duration(let duration) = self { duration } else { nil } }
}
