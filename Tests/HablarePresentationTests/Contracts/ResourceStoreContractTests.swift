import Foundation
import Hablare
import HablarePresentation
import HablarePresentationTestKit
import HablareSupport
import HablareTestKit
import Testing

@Suite struct ResourceStoreContractTests {
    @Test("The store in memory keeps the contract", arguments: ResourceStoreContract.rules)
    func memory(_ rule: ResourceStoreContract.Rule) async throws {
        try await ResourceStoreContract { InMemoryResourceStore() }.check(rule)
    }

    @Test("The scripted store keeps the contract, even on a queue", arguments: ResourceStoreContract.rules)
    func scripted(_ rule: ResourceStoreContract.Rule) async throws {
        try await ResourceStoreContract {
            ScriptedResourceStore(scheduler: QueueStoreScheduler(label: "scripted"))
        }.check(rule)
    }

    @Test("Every fault breaks a rule, and every rule is broken by some fault")
    func everyRule() async {
        var broken: Set<String> = []
        for fault in FaultyStore.Fault.allCases {
            var rules: [String] = []
            for rule in ResourceStoreContract.rules {
                do {
                    try await ResourceStoreContract { FaultyStore(fault) }.check(rule)
                } catch {
                    if error is ContractViolation { rules.append(rule.name) }
                }
            }
            #expect(!rules.isEmpty, "no rule notices the fault \(fault)")
            broken.formUnion(rules)
        }
        #expect(broken == Set(ResourceStoreContract.rules.map(\.name)))
    }
}

/// A store with one fault.
private struct FaultyStore: ResourceStore {
    enum Fault: CaseIterable {
        case isFullFromTheStart, forgetsOnReading, losesDate, keepsTheNewest, keepsOlderBehind, saysNothingDeleted
        case deletesAlways, saysEmptyIsDeleted, deletesBeforeItAsks
    }

    private let fault: Fault
    private let kept: Locked<[CachedResource<String>]>

    init(_ fault: Fault) {
        self.fault = fault
        kept = Locked(fault == .isFullFromTheStart ? [CachedResource("old", savedAt: .distantPast)] : [])
    }

    var scheduler: any StoreScheduler { InlineStoreScheduler() }

    func retrieve() throws -> CachedResource<String>? {
        kept.withLock { kept in
            defer { if fault == .forgetsOnReading { kept = [] } }
            return kept.last
        }
    }

    func replace(with resource: CachedResource<String>) throws {
        let resource = fault == .losesDate ? CachedResource(resource.resource, savedAt: .distantPast) : resource
        kept.withLock { kept in
            if fault == .keepsTheNewest, let last = kept.last, last.savedAt > resource.savedAt { return }
            kept = fault == .keepsOlderBehind ? kept + [resource] : [resource]
        }
    }

    func delete(where isExpired: (Date) throws -> Bool) throws -> Bool {
        try kept.withLock { kept in
            guard let last = kept.last else { return fault == .saysEmptyIsDeleted }
            if fault == .deletesBeforeItAsks { kept = [] }
            guard try isExpired(last.savedAt) || fault == .deletesAlways else { return false }
            if !kept.isEmpty { kept.removeLast() }
            return fault != .saysNothingDeleted
        }
    }
}
