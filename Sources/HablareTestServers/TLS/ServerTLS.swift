import NIOSSL

/// A server's certificate and its private key.
package struct ServerTLS: Sendable, Hashable {
    /// The certificate, in PEM.
    package let certificate: String
    /// The private key, in PEM.
    package let key: String

    /// Creates a certificate with its key.
    package init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }

    func context() throws -> NIOSSLContext {
        let chain = try NIOSSLCertificate.fromPEMBytes(Array(certificate.utf8)).map {
            NIOSSLCertificateSource.certificate($0)
        }
        let key = try NIOSSLPrivateKey(bytes: Array(key.utf8), format: .pem)
        return try NIOSSLContext(
            configuration: .makeServerConfiguration(certificateChain: chain, privateKey: .privateKey(key)))
    }
}
