import Foundation
import Hablare
import HablarePresentation

// snippet: a resource model and its adapter
@MainActor
func makeGreeting(
    load: @escaping @Sendable @concurrent () async throws -> String
) -> (model: ResourceModel<String>, adapter: PresentationAdapter<String>) {
    let model = ResourceModel<String>()
    let adapter = PresentationAdapter(
        presenter: ResourcePresenter(view: model), policy: .cancelPrevious, load: load)
    return (model, adapter)
}
// end snippet

// snippet: a screen behind a proxy
@MainActor
final class GreetingScreen: ResourceView, ResourceLoadingView, ResourceErrorView {
    typealias ViewModel = String
    private(set) var text = ""
    private(set) var isBusy = false
    private(set) var problem: String?
    private var adapter: PresentationAdapter<Int>?

    init(load: @escaping @Sendable @concurrent () async throws -> Int) {
        adapter = PresentationAdapter(
            presenter: ResourcePresenter(view: WeakProxy(self)) { "Hello, number \($0)" },
            policy: .ignoreWhileLoading, load: load)
    }

    func refresh() { adapter?.load() }

    func display(_ viewModel: String) { text = viewModel }
    func display(_ viewModel: ResourceLoadingViewModel) { isBusy = viewModel.isLoading }
    func display(_ viewModel: ResourceErrorViewModel) { problem = viewModel.message }
}
// end snippet

// snippet: a request's model
@MainActor
func watched(_ id: UUID, by manager: AIRequestManager) -> RequestStatusModel {
    var options = RequestWatchOptions()  // optional
    options.textLimit = 64 << 10  // at most 64 KiB of text; showsText = false shows none
    let model = RequestStatusModel(id, manager: manager, options: options)
    model.start()
    return model
}
// end snippet

// snippet: a request's words
@MainActor
func words(for state: RequestViewState) -> String {
    switch state {
    case .idle: ""
    case .waiting(let waiting): waiting.message
    case .running(_, let partial): partial?.text ?? "Generating the answer…"
    case .done(let result): result.text ?? "Done."
    case .failed(let failure): failure.message
    case .cancelled: "It was cancelled."
    }
}
// end snippet

// snippet: a request in a web view
@MainActor
func show(_ model: RequestStatusModel, in evaluate: @MainActor (String) async throws -> Void) async throws {
    for await state in model.states() {
        try await evaluate("show(\(try await state.json()))")
    }
}
// end snippet
