/// A command that asks a provider, and may have one that it asks by default.
enum ProviderUse: String, Sendable, Hashable, CaseIterable {
    case generate, speak, image, embed, narrate
}
