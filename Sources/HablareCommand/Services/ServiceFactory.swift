import HablareProviders

/// Makes the providers of a service that can be asked.
///
/// Throws any error where one cannot be made of its settings.
typealias ServiceFactory =
    @Sendable (
        _ entry: ServiceEntry, _ network: Settings.Network, _ limits: Composition.CallLimits,
        _ composition: Composition
    ) throws -> [InstalledProvider]
