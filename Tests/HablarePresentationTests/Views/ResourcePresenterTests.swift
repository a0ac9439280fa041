import Hablare
import HablarePresentation
import HablarePresentationTestKit
import Testing

@MainActor
@Suite struct ResourcePresenterTests {
    @Test("A presenter of unchanged resources needs no mapping")
    func identity() {
        let view = ViewRecorder()
        let one = ResourcePresenter<String, ViewRecorder>(view: view)
        one.didFinishLoading(with: "as it is")
        let three = ResourcePresenter<String, ViewRecorder>(resourceView: view, loadingView: view, errorView: view)
        three.didFinishLoading(with: "as it is, too")
        #expect(view.resources == ["as it is", "as it is, too"])
    }

    @Test("The message for an error can be chosen")
    func message() {
        let view = ViewRecorder()
        let presenter = ResourcePresenter<String, ViewRecorder>(view: view, message: { "\(type(of: $0)) befell us" })
        presenter.didFailLoading(with: Befallen())
        #expect(view.events == [.error("Befallen befell us"), .loading(false)])
    }

    @Test("Each part goes to its own view")
    func parts() {
        let (resources, loading, errors) = (ViewRecorder(), ViewRecorder(), ViewRecorder())
        let presenter = ResourcePresenter(resourceView: resources, loadingView: loading, errorView: errors) {
            (number: Int) in
            "\(number)"
        }
        presenter.didStartLoading()
        presenter.didFinishLoading(with: 1)
        presenter.didFailLoading(with: Befallen())
        #expect(resources.events == [.resource("1")])
        #expect(loading.events == [.loading(true), .loading(false), .loading(false)])
        #expect(errors.events == [.error(nil), .error(ErrorMessage.generic)])
    }

    @Test("A mapper that throws a cancellation shows no error")
    func cancelledMapper() {
        let view = ViewRecorder()
        let presenter = ResourcePresenter<Int, ViewRecorder>(view: view) { _ in throw CancellationError() }
        presenter.didFinishLoading(with: 1)
        #expect(view.events == [.loading(false)])
    }
}

private struct Befallen: Error {}
