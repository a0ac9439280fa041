import HablarePresentation
import HablarePresentationTestKit
import Testing

@MainActor
@Suite struct WeakProxyTests {
    @Test("A proxy forwards everything to its view")
    func passesOn() {
        let view = ViewRecorder()
        let proxy = WeakProxy(view)
        proxy.display("text")
        proxy.display(ResourceLoadingViewModel(isLoading: true))
        proxy.display(ResourceErrorViewModel(message: "no"))
        #expect(view.events == [.resource("text"), .loading(true), .error("no")])
    }

    @Test("A proxy does not keep its view alive, and does nothing after its release")
    func silent() {
        weak var gone: ViewRecorder?
        let proxy = proxyOfReleasedView { gone = $0 }
        #expect(gone == nil)
        proxy.display("late")
        proxy.display(ResourceLoadingViewModel(isLoading: true))
        proxy.display(ResourceErrorViewModel.none)
    }

    @Test("A proxy of a view that shows one thing conforms to that protocol only")
    func conformance() {
        let spinner = Spinner()
        let view: any ResourceLoadingView = WeakProxy(spinner)
        view.display(ResourceLoadingViewModel(isLoading: true))
        #expect(spinner.isTurning)
        #expect(!(WeakProxy(spinner) is any ResourceErrorView))
    }

    private func proxyOfReleasedView(_ note: (ViewRecorder) -> Void) -> WeakProxy<ViewRecorder> {
        let view = ViewRecorder()
        note(view)
        return WeakProxy(view)
    }
}

@MainActor private final class Spinner: ResourceLoadingView {
    var isTurning = false
    func display(_ viewModel: ResourceLoadingViewModel) { isTurning = viewModel.isLoading }
}
