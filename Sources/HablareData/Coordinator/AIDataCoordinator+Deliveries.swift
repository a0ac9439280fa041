public import Foundation
import Hablare

extension AIDataCoordinator {
    /// Merges the response of a request into a property of a model when the response arrives. Returns at once, and does
    /// not keep the model alive. If the model was released before the response arrives, nothing is merged.
    ///
    /// ``merges`` reports the result. While the engine is suspended, the coordinator continues to wait. It stops
    /// waiting if the request fails or is cancelled, if the coordinator is released, or if the process ends.
    ///
    /// - Parameters:
    ///   - requestID: The id of a submitted request.
    ///   - model: The model. It is held weakly.
    ///   - property: The property.
    ///   - rules: The rules that an answer must satisfy. Default: none.
    /// - Returns: A value that can end the wait.
    @discardableResult
    public func deliver<Model: AnyObject, Value: ResponseConvertible & Sendable>(
        _ requestID: UUID, into model: Model, property: ReferenceWritableKeyPath<Model, Value>,
        rules: [ContentRule] = []
    ) -> Delivery {
        let address = ModelAddress(model, property, rules)
        let key = modelKey(requestID, property)
        let number = deliveries.start { [weak self, manager, merger, clock = seams.clock] in
            do {
                guard let response = try await manager.patientlyExecute(requestID, clock: clock) else { return }
                await self?.deliver(response, to: address)
            } catch is CancellationError {
                return
            } catch {
                merger.events.publish(.willMerge([key]))
                merger.events.publish(.mergeFailed(key, MergeError.recorded(error, of: requestID)))
            }
        }
        return Delivery(number, of: deliveries)
    }

    fileprivate func deliver<Model: AnyObject, Value: ResponseConvertible & Sendable>(
        _ response: AIResponseData, to address: ModelAddress<Model, Value>
    ) async {
        do {
            _ = try await recorded(modelKey(response.requestID, address.property)) {
                // The model is held only while a property is set. If it is gone, nothing is read.
                _ = try address.present
                let prepared = try await Self.prepare(response, as: Value.self, address.rules, merger)
                defer { prepared.letGo() }
                let model = try address.present
                return merger.meters.onMainActor {
                    set(of: response.requestID, in: model, .init(address.property)) {
                        model[keyPath: address.property] = prepared.value
                    }
                }
            }
        } catch {
            // An event has reported the error.
        }
    }
}

extension AIRequestManager {
    /// Waits for a response, even while the engine is suspended or the store fails temporarily. Returns `nil` if the
    /// engine is released.
    fileprivate func patientlyExecute(_ id: UUID, clock: EngineClock) async throws -> AIResponseData? {
        // Only subscribed while the engine is suspended, because revivals would pile up during the wait for the
        // outcome.
        var revivals: AsyncStream<Revival>.Iterator?
        var wait = Duration.seconds(1)
        while true {
            try Task.checkCancellation()
            do {
                return try await execute(requestID: id)
            } catch let error as AIServiceError where error.code == .suspended {
                guard revivals != nil else {
                    // Tried again, because the engine may have resumed before the subscription.
                    revivals = self.revivals().makeAsyncIterator()
                    continue
                }
                repeat {
                    guard let revival = await revivals?.next() else { return nil }
                    if revival == .engine { break }
                } while true
                revivals = nil
            } catch let error as AIServiceError where error.category == .storage && error.isRetryable {
                try await clock.sleep(for: wait)
                wait = min(wait * 2, .seconds(60))
            }
        }
    }
}

/// A property of a model into which an expected response will be merged. The model is held weakly.
@MainActor private final class ModelAddress<Model: AnyObject, Value: Sendable> {
    private weak var model: Model?
    let property: ReferenceWritableKeyPath<Model, Value>
    let rules: [ContentRule]

    init(_ model: Model, _ property: ReferenceWritableKeyPath<Model, Value>, _ rules: [ContentRule]) {
        self.model = model
        self.property = property
        self.rules = rules
    }

    /// The model.
    ///
    /// - Throws: ``MergeError/Code/modelGone`` if the model was released.
    var present: Model {
        get throws {
            guard let model else {
                throw MergeError(
                    .modelGone,
                    "The model was released before its response arrived. The response is kept. Merge it into another model."
                )
            }
            return model
        }
    }
}
