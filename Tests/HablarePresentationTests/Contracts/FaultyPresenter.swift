import Hablare
import HablarePresentation
import HablarePresentationTestKit

/// A presenter with one fault, to test that the contract detects it.
@MainActor
final class FaultyPresenter: ResourcePresenting {
    enum Fault: CaseIterable {
        case startsWithLoading, stopsLoadingFirst, losesFailure, leavesLoadingAfterCancellation, showsHalfMapped
        case dumpsErrors, keepsView, keepsItself
    }

    private let fault: Fault
    private let map: (Int) throws -> String
    private let view: WeakProxy<ViewRecorder>
    private var keptView: ViewRecorder?
    private var itself: FaultyPresenter?

    init(_ fault: Fault, _ view: ViewRecorder, _ map: @escaping (Int) throws -> String) {
        self.fault = fault
        self.map = map
        self.view = WeakProxy(view)
        if fault == .keepsView { keptView = view }
        if fault == .keepsItself { itself = self }
    }

    func didStartLoading() {
        if fault == .startsWithLoading { view.display(ResourceLoadingViewModel(isLoading: true)) }
        view.display(ResourceErrorViewModel.none)
        if fault != .startsWithLoading { view.display(ResourceLoadingViewModel(isLoading: true)) }
    }

    func didFinishLoading(with resource: Int) {
        do {
            if fault == .stopsLoadingFirst { didCancelLoading() }
            view.display(try map(resource))
            if fault != .stopsLoadingFirst { didCancelLoading() }
        } catch {
            if fault == .showsHalfMapped { view.display("nothing") }
            didFailLoading(with: error)
        }
    }

    func didFailLoading(with error: any Error) {
        if error is CancellationError { return didCancelLoading() }
        let message = fault == .dumpsErrors ? "\(error)" : ErrorMessage.standard(for: error)
        if fault != .losesFailure { view.display(ResourceErrorViewModel(message: message)) }
        didCancelLoading()
    }

    func didCancelLoading() {
        if fault == .leavesLoadingAfterCancellation { view.display(ResourceErrorViewModel(message: "cancelled")) }
        view.display(ResourceLoadingViewModel(isLoading: false))
    }
}
