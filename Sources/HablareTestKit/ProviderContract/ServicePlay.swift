/// A behaviour that a service simulates in the calls of a scene. The number of a call is in its prompt.
public enum ServicePlay: String, Sendable, Hashable, CaseIterable {
    /// The service answers correctly and reports its limits.
    case answers
    /// The service answers correctly, one byte at a time.
    case drips
    /// To the prompt for number n, the service answers correctly up to byte n. Then the connection is lost, or the
    /// program is killed.
    case breaksOff
    /// To the prompt for number n, the service answers correctly up to byte n. Then it ends the answer normally, as if
    /// the answer were complete.
    case endsEarly
    /// The service answers correctly up to the middle of the answer, and then sends no more data. A provider that
    /// yields can yield the first half.
    case pauses
    /// The service shows ``ProviderStage/signCount`` times that it is working, like a model that thinks. Then it sends
    /// no more data. It sends no part of the answer.
    case thinks
    /// The service accepts the call and sends nothing.
    case isSilent
    /// The service begins to answer correctly and never ends.
    case neverEnds
    /// To the prompt for number n, the service responds with row n of ``ProviderStage/failures``.
    case refuses
    /// The service refuses with an error page that has 10 MB or no end.
    case floods
    /// To the prompt for number n, the service responds with data that is not an answer, in the n-th of
    /// ``ProviderStage/mistakeCount`` ways. For example, the response has another kind or another form, or is empty.
    case mistakes
    /// To the prompt for number n, the service repeats the prompt and the key in its response, in the n-th of
    /// ``ProviderStage/repetitionCount`` ways. For example, it repeats them in the text of a refusal, in fields of an
    /// answer, or in place of a code.
    case repeats
}
