import HablarePresentation
import HablarePresentationTestKit
import HablareTestKit
import Testing

@MainActor
@Suite(.timeLimit(.minutes(5))) struct LoadContractTests {
    @Test("The adapter keeps the contract", arguments: LoadContract.rules)
    func adapter(_ rule: LoadContract.Rule) async throws {
        let contract = LoadContract { view, policy, load in
            PresentationAdapter(
                presenter: ResourcePresenter(view: WeakProxy(view)), policy: policy, load: load)
        }
        try await contract.check(rule)
    }

    @Test(
        "An independent loader without a fault keeps the contract", arguments: LoadContract.rules)
    func noFault(_ rule: LoadContract.Rule) async throws {
        try await contract(of: .none, timeout: .seconds(60)).check(rule)
    }

    @Test("A loader whose function type leaves the main actor may call it from there")
    func concurrentType() async throws {
        let rule = try #require(LoadContract.rules.first { $0.name == "A resource is loaded off the main actor" })
        // Without `NonisolatedNonsendingByDefault`, every `async` function has this type.
        typealias Load = @Sendable @concurrent () async throws -> String
        let contract = LoadContract { view, policy, load in
            let load: Load = load
            return FaultyLoader(.loadsOnMainThread, view, policy, load)
        }
        try await contract.check(rule)
    }

    @Test("Every fault breaks a rule, and every rule is broken by some fault")
    func everyRule() async {
        var broken: Set<String> = []
        for fault in FaultyLoader.Fault.allCases where fault != .none {
            let rules = await self.broken(by: fault)
            #expect(!rules.isEmpty, "no rule notices the fault \(fault)")
            broken.formUnion(rules)
        }
        #expect(broken == Set(LoadContract.rules.map(\.name)))
    }

    /// Returns the names of the rules that a loader with a fault breaks.
    private func broken(by fault: FaultyLoader.Fault) async -> [String] {
        let contract = contract(of: fault, timeout: .milliseconds(500))
        var names: [String] = []
        for rule in LoadContract.rules {
            do {
                try await contract.check(rule)
            } catch {
                if error is ContractViolation { names.append(rule.name) }
            }
        }
        return names
    }

    private func contract(of fault: FaultyLoader.Fault, timeout: Duration) -> LoadContract {
        LoadContract(timeout: timeout) { view, policy, load in FaultyLoader(fault, view, policy, load) }
    }
}
