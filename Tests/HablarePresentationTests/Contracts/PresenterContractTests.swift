import HablarePresentation
import HablarePresentationTestKit
import HablareTestKit
import Testing

@MainActor
@Suite struct PresenterContractTests {
    @Test("The presenter keeps the contract", arguments: PresenterContract.rules)
    func presenter(_ rule: PresenterContract.Rule) throws {
        let contract = PresenterContract { view, map in ResourcePresenter(view: WeakProxy(view), map: map) }
        try contract.check(rule)
    }

    @Test("The presenter keeps the contract with a view for each of its parts", arguments: PresenterContract.rules)
    func parts(_ rule: PresenterContract.Rule) throws {
        let contract = PresenterContract { view, map in
            let proxy = WeakProxy(view)
            return ResourcePresenter(resourceView: proxy, loadingView: proxy, errorView: proxy, map: map)
        }
        try contract.check(rule)
    }

    @Test("A fault breaks the contract", arguments: FaultyPresenter.Fault.allCases)
    func fault(_ fault: FaultyPresenter.Fault) {
        #expect(!broken(by: fault).isEmpty)
    }

    @Test("Every rule is broken by some fault")
    func everyRule() {
        let broken = Set(FaultyPresenter.Fault.allCases.flatMap(broken))
        #expect(broken == Set(PresenterContract.rules.map(\.name)))
    }

    /// Returns the names of the rules that a presenter with a fault breaks.
    private func broken(by fault: FaultyPresenter.Fault) -> [String] {
        let contract = PresenterContract { view, map in FaultyPresenter(fault, view, map) }
        return PresenterContract.rules.filter { rule in
            do {
                try contract.check(rule)
                return false
            } catch {
                return error is ContractViolation
            }
        }.map(\.name)
    }
}
