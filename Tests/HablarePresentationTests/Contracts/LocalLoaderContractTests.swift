import HablarePresentation
import HablarePresentationTestKit
import HablareTestKit
import Testing

@Suite struct LocalLoaderContractTests {
    @Test("The loader keeps the contract", arguments: LocalLoaderContract.rules)
    func loader(_ rule: LocalLoaderContract.Rule) async throws {
        let contract = LocalLoaderContract { store, calendar, date in
            LocalResourceLoader(store: store, freshness: FreshnessPolicy(calendar: calendar, date: date))
        }
        try await contract.check(rule)
    }

    @Test(
        "An independent loader without a fault keeps the contract",
        arguments: LocalLoaderContract.rules)
    func noFault(_ rule: LocalLoaderContract.Rule) async throws {
        try await contract(of: .none).check(rule)
    }

    @Test("Every fault breaks a rule, and every rule is broken by some fault")
    func everyRule() async {
        var broken: Set<String> = []
        for fault in FaultyLocalLoader.Fault.allCases where fault != .none {
            let rules = await self.broken(by: fault)
            #expect(!rules.isEmpty, "no rule notices the fault \(fault)")
            broken.formUnion(rules)
        }
        #expect(broken == Set(LocalLoaderContract.rules.map(\.name)))
    }

    private func broken(by fault: FaultyLocalLoader.Fault) async -> [String] {
        let contract = contract(of: fault)
        var names: [String] = []
        for rule in LocalLoaderContract.rules {
            do {
                try await contract.check(rule)
            } catch {
                if error is ContractViolation { names.append(rule.name) }
            }
        }
        return names
    }

    private func contract(of fault: FaultyLocalLoader.Fault) -> LocalLoaderContract {
        LocalLoaderContract { store, calendar, date in
            FaultyLocalLoader(fault, store, calendar, date)
        }
    }
}
