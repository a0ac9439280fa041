/// A command that asks a provider, and may have one that it asks by default.
enum ProviderUse: String, Sendable, Hashable, CaseIterable {
    case generate, speak, image, embed, narrate

    /// Who is asked where neither the command line nor the settings name anybody; `nil`: nobody.
    var usualProvider: String? {
        switch self {
        case .speak, .narrate: "espeak-ng"
        case .generate, .image, .embed: nil
        }
    }
}
