import Foundation
import Hablare
import HablareProviders

/// The name of a service's batch provider: `openai.batch`, with or without an address.
enum BatchName {
    static let variant = ".batch"

    /// Whether a provider is a batch provider.
    static func isBatch(_ provider: ProviderID) -> Bool {
        AddressedName.provider(of: provider.rawValue).hasSuffix(variant)
    }

    /// Returns the name of the provider that makes the normal calls. If the provider is not a batch provider, this is
    /// the same name. The address does not change.
    static func live(of provider: ProviderID) -> String {
        guard isBatch(provider) else { return provider.rawValue }
        let id = provider.rawValue
        guard let name = AddressedName(id) else { return String(id.dropLast(variant.count)) }
        return AddressedName(provider: String(name.provider.dropLast(variant.count)), address: name.address).text
    }
}

extension ServiceSettings {
    /// Returns the id of the provider that answers the requests of an offer in batches; `nil` if its kind has no
    /// batches.
    func batchID(of offer: ServiceOffer) -> ProviderID? {
        guard hasBatches(offer) else { return nil }
        let name = AddressedName(id(of: offer).rawValue)
        return ProviderID(
            rawValue: name.map { AddressedName(provider: $0.provider + BatchName.variant, address: $0.address).text }
                ?? id(of: offer).rawValue + BatchName.variant)
    }

    private func hasBatches(_ offer: ServiceOffer) -> Bool {
        [.openai, .anthropic].contains(kind) && [.text, .structured].contains(offer.answers) && !offer.hears
    }

    /// Whether new requests may wait for batches.
    var usesBatches: Bool { batches ?? (ServiceAddress.read(address).value.map(kind.isOwn) ?? false) }

    /// The ids of all batch providers.
    var batchIDs: [ProviderID] { offers.compactMap(batchID) }
}

/// The reason why requests cannot wait for a batch, as a part of a sentence.
struct BatchLack: Error, Hashable {
    let reason: String

    init(reason: String) { self.reason = reason }

    /// - Parameter isAddressed: Whether the requests are for an address that the user chose.
    init(_ service: ServiceSettings, _ isAddressed: Bool) {
        let setting = "services.\(service.name).batches"
        reason =
            if isAddressed {
                "requests with --base-url do not wait for batches"
            } else if service.batches == false {
                "\(setting) is false"
            } else {
                "\(service.name) is not known to have batches; if its server has the batch API of \(service.kind), "
                    + "set \(setting) to true"
            }
    }
}

extension Composition {
    /// The limits, pauses and clock of batches. Tests change them.
    struct BatchPace: Sendable {
        /// The limits and pauses of batches. `nil`: those of the vendor.
        var rules: BatchBoard.Rules?
        /// The clock for deadlines. `nil`: the services' clock.
        var date: (@Sendable () -> Date)?
    }
}

extension InstalledProvider {
    /// Returns the provider that answers the same requests in batches; `nil` if there is none.
    func batched(by settings: ServiceSettings, _ offer: ServiceOffer, in composition: Composition) -> InstalledProvider?
    {
        guard let id = settings.batchID(of: offer), let live = provider as? any BatchCapable else { return nil }
        let batch = live.batched(
            as: id, reserve: VendorBatchProvider.usualReserve, rules: composition.batchPace.rules,
            clock: ContinuousClock(), taskExecutor: composition.seams.taskExecutor, date: composition.batchPace.date)
        return InstalledProvider(serving: settings.name, batch, isCharged: hasPrice, problem: problem)
    }
}

extension [InstalledProvider] {
    /// Returns the providers together with the providers that answer their requests in batches.
    func withBatches(of settings: ServiceSettings, in composition: Composition) -> [InstalledProvider] {
        self
            + zip(settings.offers, self).compactMap { offer, made in made.batched(by: settings, offer, in: composition)
            }
    }

    /// The batch provider of each live provider, by their names.
    var batchNames: [String: String] {
        filter { BatchName.isBatch($0.provider.id) }.reduce(into: [:]) { names, batch in
            names[BatchName.live(of: batch.provider.id)] = batch.name
        }
    }
}
