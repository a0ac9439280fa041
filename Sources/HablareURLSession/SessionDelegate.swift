import Foundation
import HTTPTypes
import Hablare
import HablareProviders

#if canImport(FoundationNetworking)
import FoundationNetworking
import HablareSupport
#endif

/// The delegate of one session. It passes the session's events to the transfers. It finds a transfer by the number of
/// the session's task.
final class SessionDelegate: NSObject, URLSessionDataDelegate {
    private struct Entry: Sendable {
        let transfer: SessionTransfer
        let form: UploadFile.Form
    }

    private let entries = Locked<[Int: Entry]>([:])
    /// The proxy whose password is sent if the proxy asks for one.
    private let proxy: ProxyAddress?

    init(proxy: ProxyAddress?) { self.proxy = proxy }

    /// Adds a transfer before its task is resumed.
    func add(_ transfer: SessionTransfer, _ form: UploadFile.Form, for task: URLSessionTask) {
        entries.withLock { $0[task.taskIdentifier] = Entry(transfer: transfer, form: form) }
    }

    /// Ends all transfers with a failure.
    func failAll(_ failure: HTTPFailure) {
        for entry in entries.withLock({ Array($0.values) }) { entry.transfer.failed(failure) }
    }

    private func transfer(of task: URLSessionTask) -> SessionTransfer? {
        entries.withLock { $0[task.taskIdentifier]?.transfer }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        // Redirects are decided by `Redirect`. The answer is the redirect itself.
        head(of: response, for: task)
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        #if canImport(Darwin)
        if challenge.protectionSpace.isProxy(), challenge.previousFailureCount == 0, let user = proxy?.user {
            let credential = URLCredential(user: user, password: proxy?.password ?? "", persistence: .none)
            return completionHandler(.useCredential, credential)
        }
        completionHandler(.performDefaultHandling, nil)
        #else
        // The open-source Foundation delivers no answer of the status 401 that asks for a password. Its head is enough
        // for a refusal; its body is lost.
        if let transfer = transfer(of: task), let response = challenge.failureResponse ?? task.response,
            let head = response as? HTTPURLResponse
        {
            Self.pass(head, to: transfer)
            transfer.ended(nil)
        }
        completionHandler(.cancelAuthenticationChallenge, nil)
        #endif
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        transfer(of: task)?.partSent()
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        head(of: response, for: dataTask)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        transfer(of: dataTask)?.received(data)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let entry = entries.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        if let form = entry?.form { UploadFile.remove(form) }
        guard let transfer = entry?.transfer else { return }
        // The open-source Foundation reports some heads without a body, such as a redirect without an address, here.
        if error == nil, let response = task.response as? HTTPURLResponse { Self.pass(response, to: transfer) }
        transfer.ended(error)
    }

    private func head(of response: URLResponse, for task: URLSessionTask) {
        guard let transfer = transfer(of: task) else { return }
        guard let response = response as? HTTPURLResponse else {
            return transfer.failed(HTTPFailure(.malformedAnswer, mayHaveArrived: true, cause: "the answer is not HTTP"))
        }
        Self.pass(response, to: transfer)
    }

    private static func pass(_ response: HTTPURLResponse, to transfer: SessionTransfer) {
        var fields = HTTPFields()
        for (name, value) in response.allHeaderFields {
            guard let text = name as? String, let name = HTTPField.Name(text) else { continue }
            fields.append(HTTPField(name: name, value: "\(value)"))
        }
        transfer.headReceived(status: response.statusCode, fields: fields)
    }
}
