import Foundation
import Hablare
import HablarePresentation
import HablareSupport
import HablareTestKit
import Observation
import Testing

@MainActor
@Suite(.timeLimit(.minutes(2))) struct ResourceModelTests {
    private let model = ResourceModel<String>()
    private var presenter: ResourcePresenter<String, ResourceModel<String>> { ResourcePresenter(view: model) }

    @Test("A presenter takes the model from idle through loading to loaded")
    func loads() {
        #expect(model.state == .idle)
        presenter.didStartLoading()
        #expect(model.state == .loading(previous: nil))
        presenter.didFinishLoading(with: "one")
        #expect(model.state == .loaded("one"))
        #expect(model.state.value == "one")
    }

    @Test("A loaded value is kept while it is loaded again, and if that fails")
    func keepsPrevious() {
        let model = ResourceModel("one")
        let presenter = ResourcePresenter<String, ResourceModel<String>>(view: model)
        presenter.didStartLoading()
        #expect(model.state == .loading(previous: "one"))
        presenter.didFailLoading(with: CocoaError(.fileNoSuchFile))
        #expect(model.state == .failed(message: ErrorMessage.generic, previous: "one"))
        #expect(model.state.value == "one")
        presenter.didStartLoading()
        #expect(model.state == .loading(previous: "one"))
        presenter.didCancelLoading()
        #expect(model.state == .loaded("one"))
    }

    @Test("A cancelled first load leaves the model idle, and a failed one shows the reason")
    func nothingBefore() {
        presenter.didStartLoading()
        presenter.didCancelLoading()
        #expect(model.state == .idle)
        presenter.didStartLoading()
        presenter.didFailLoading(with: CocoaError(.fileNoSuchFile))
        #expect(model.state == .failed(message: ErrorMessage.generic, previous: nil))
        #expect(model.state.message == ErrorMessage.generic)
        #expect(!model.state.isLoading)
    }

    @Test("Observers are notified of a change")
    func observed() {
        let changes = Locked(0)
        withObservationTracking {
            _ = model.state
        } onChange: {
            changes.withLock { $0 += 1 }
        }
        presenter.didStartLoading()
        #expect(changes.withLock { $0 } >= 1)
    }

    @Test("A listener gets the current state, then the newest, and the end when the model is released")
    func listened() async throws {
        var model: ResourceModel<String>? = ResourceModel("one")
        let stream = try #require(model?.states())
        var states = stream.makeAsyncIterator()
        #expect(await states.next() == .loaded("one"))
        model?.display(ResourceLoadingViewModel(isLoading: true))
        model?.display("two")
        model?.display(ResourceLoadingViewModel(isLoading: false))
        #expect(await states.next() == .loaded("two"))
        model = nil
        #expect(await states.next() == nil)
    }

    @Test("A web view gets the state as JSON")
    func json() async throws {
        #expect(try await ResourceState<String>.idle.json() == #"{"phase":"idle"}"#)
        #expect(
            try await ResourceState.loading(previous: "one").json() == #"{"phase":"loading","value":"one"}"#)
        #expect(try await ResourceState.loaded(7).json() == #"{"phase":"loaded","value":7}"#)
        #expect(
            try await ResourceState.failed(message: "no", previous: [1]).json()
                == #"{"message":"no","phase":"failed","value":[1]}"#)
    }

    @Test("JSON in a page's script cannot end the script")
    func script() async throws {
        let json = try await ResourceState.loaded("</script><b>").json()
        #expect(!json.contains("<"))
        let object = try #require(JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: String])
        #expect(object["value"] == "</script><b>")
    }

    @Test("A value that JSON cannot represent causes an error")
    func notANumber() async {
        await #expect(throws: EncodingError.self) { try await ResourceState.loaded(Double.nan).json() }
    }
}
