import HablarePresentation
import HablarePresentationTestKit
import HablareTestKit
import Testing

@Suite struct FallbackLoaderContractTests {
    @Test("The loader keeps the contract", arguments: FallbackLoaderContract.rules)
    func loader(_ rule: FallbackLoaderContract.Rule) async throws {
        let contract = FallbackLoaderContract { parts in
            FallbackLoader(
                local: LocalResourceLoader(store: parts.store, freshness: FreshnessPolicy(date: parts.date)),
                observe: parts.observe, remote: parts.remote)
        }
        try await contract.check(rule)
    }

    @Test(
        "An independent loader without a fault keeps the contract",
        arguments: FallbackLoaderContract.rules)
    func noFault(_ rule: FallbackLoaderContract.Rule) async throws {
        try await contract(of: .none).check(rule)
    }

    @Test("Every fault breaks a rule, and every rule is broken by some fault")
    func everyRule() async {
        var broken: Set<String> = []
        for fault in FaultyFallbackLoader.Fault.allCases where fault != .none {
            let rules = await self.broken(by: fault)
            #expect(!rules.isEmpty, "no rule notices the fault \(fault)")
            broken.formUnion(rules)
        }
        #expect(broken == Set(FallbackLoaderContract.rules.map(\.name)))
    }

    private func broken(by fault: FaultyFallbackLoader.Fault) async -> [String] {
        let contract = contract(of: fault)
        var names: [String] = []
        for rule in FallbackLoaderContract.rules {
            do {
                try await contract.check(rule)
            } catch {
                names.append(rule.name)
            }
        }
        return names
    }

    private func contract(of fault: FaultyFallbackLoader.Fault) -> FallbackLoaderContract {
        FallbackLoaderContract { FaultyFallbackLoader(fault, $0) }
    }
}
