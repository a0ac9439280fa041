extension ServerTLS {
    /// A certificate for `localhost`, signed by ``testAuthority`` and valid until 2126.
    package static let valid = ServerTLS(certificate: validCertificate, key: testKey)
    /// A certificate for `localhost`, signed by ``testAuthority``. It expired at the beginning of 2021.
    package static let expired = ServerTLS(certificate: expiredCertificate, key: testKey)
    /// A certificate for `elsewhere.invalid`, signed by ``testAuthority`` and valid until 2126.
    package static let otherHost = ServerTLS(certificate: otherCertificate, key: testKey)

    // Created only for these tests with openssl, on the curve P-256. No system trusts the authority, and its key was
    // thrown away.

    /// The certificate of the authority that signed the other certificates, in PEM.
    package static let testAuthority = """
        -----BEGIN CERTIFICATE-----
        MIIBdTCCARugAwIBAgIBATAKBggqhkjOPQQDAjAhMR8wHQYDVQQDDBZIYWJsYXJl
        IFRlc3QgQXV0aG9yaXR5MCAXDTIwMDEwMTAwMDAwMFoYDzIxMjYwMTAxMDAwMDAw
        WjAhMR8wHQYDVQQDDBZIYWJsYXJlIFRlc3QgQXV0aG9yaXR5MFkwEwYHKoZIzj0C
        AQYIKoZIzj0DAQcDQgAE19FK+LHyQIhpHirt1aTuqSm/1s8nea0X0OKrvB1bBfEH
        3Rvd6gDbTR+8TfO11XCTNhEEYBaJMRzmb+sVpHTX76NCMEAwDwYDVR0TAQH/BAUw
        AwEB/zAOBgNVHQ8BAf8EBAMCAQYwHQYDVR0OBBYEFLqFOppXdbwhaUDcHUpffsfx
        mjp2MAoGCCqGSM49BAMCA0gAMEUCIE0P/tpAxVyBEFxPM9YafLOiE/Y8rmMIgRFa
        08daMUs3AiEA+kzwDAE6/HtMNK6gsT23dpi6B02pz2Jt0VYbGLOosw4=
        -----END CERTIFICATE-----
        """

    private static let validCertificate = """
        -----BEGIN CERTIFICATE-----
        MIIBxzCCAWygAwIBAgIBAjAKBggqhkjOPQQDAjAhMR8wHQYDVQQDDBZIYWJsYXJl
        IFRlc3QgQXV0aG9yaXR5MCAXDTIwMDEwMTAwMDAwMFoYDzIxMjYwMTAxMDAwMDAw
        WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC
        AAQbbSxIrPXPFFHrJRfGjee/zSO/SKuBOp6ejjFimY0NTrmvcO1bB2iadWqrlndn
        pw1m7JujIqKl8mEC6eSgxkmno4GfMIGcMAwGA1UdEwEB/wQCMAAwDgYDVR0PAQH/
        BAQDAgeAMBMGA1UdJQQMMAoGCCsGAQUFBwMBMCcGA1UdEQQgMB6CCWxvY2FsaG9z
        dIILKi5sb2NhbGhvc3SHBH8AAAEwHQYDVR0OBBYEFLfKYaUDCeZPGQMNaVCf9VEq
        89HBMB8GA1UdIwQYMBaAFLqFOppXdbwhaUDcHUpffsfxmjp2MAoGCCqGSM49BAMC
        A0kAMEYCIQC4tGBp5nlNczpjoE/h2+pZnbKS0ufMmPzOPVL5HUU5WAIhAPX2Y03x
        QkSBgiHCNYqCLCToNAASuFscehDd5EfJr8Qy
        -----END CERTIFICATE-----
        """

    private static let expiredCertificate = """
        -----BEGIN CERTIFICATE-----
        MIIBxDCCAWqgAwIBAgIBAzAKBggqhkjOPQQDAjAhMR8wHQYDVQQDDBZIYWJsYXJl
        IFRlc3QgQXV0aG9yaXR5MB4XDTIwMDEwMTAwMDAwMFoXDTIxMDEwMTAwMDAwMFow
        FDESMBAGA1UEAwwJbG9jYWxob3N0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
        G20sSKz1zxRR6yUXxo3nv80jv0irgTqeno4xYpmNDU65r3DtWwdomnVqq5Z3Z6cN
        ZuyboyKipfJhAunkoMZJp6OBnzCBnDAMBgNVHRMBAf8EAjAAMA4GA1UdDwEB/wQE
        AwIHgDATBgNVHSUEDDAKBggrBgEFBQcDATAnBgNVHREEIDAegglsb2NhbGhvc3SC
        CyoubG9jYWxob3N0hwR/AAABMB0GA1UdDgQWBBS3ymGlAwnmTxkDDWlQn/VRKvPR
        wTAfBgNVHSMEGDAWgBS6hTqaV3W8IWlA3B1KX37H8Zo6djAKBggqhkjOPQQDAgNI
        ADBFAiB2MsughGyWn3eLm5SxjdqCXT3QLirrI7uVgBoo5NASMwIhAKn86iOO8nEY
        eMXOnRMdEDza1wT5WwN9wjhlsysxuHQK
        -----END CERTIFICATE-----
        """

    private static let otherCertificate = """
        -----BEGIN CERTIFICATE-----
        MIIBxDCCAWmgAwIBAgIBBDAKBggqhkjOPQQDAjAhMR8wHQYDVQQDDBZIYWJsYXJl
        IFRlc3QgQXV0aG9yaXR5MCAXDTIwMDEwMTAwMDAwMFoYDzIxMjYwMTAxMDAwMDAw
        WjAcMRowGAYDVQQDDBFlbHNld2hlcmUuaW52YWxpZDBZMBMGByqGSM49AgEGCCqG
        SM49AwEHA0IABBttLEis9c8UUeslF8aN57/NI79Iq4E6np6OMWKZjQ1Oua9w7VsH
        aJp1aquWd2enDWbsm6MioqXyYQLp5KDGSaejgZQwgZEwDAYDVR0TAQH/BAIwADAO
        BgNVHQ8BAf8EBAMCB4AwEwYDVR0lBAwwCgYIKwYBBQUHAwEwHAYDVR0RBBUwE4IR
        ZWxzZXdoZXJlLmludmFsaWQwHQYDVR0OBBYEFLfKYaUDCeZPGQMNaVCf9VEq89HB
        MB8GA1UdIwQYMBaAFLqFOppXdbwhaUDcHUpffsfxmjp2MAoGCCqGSM49BAMCA0kA
        MEYCIQDjTsUnKrIDKAcQtuuX1lYw9cLSDm9z8sP5HWs0qL/3sAIhAIbOpoy/giVg
        l12gbpBJ7YrWcWN9emkeE28/SaxD1/fN
        -----END CERTIFICATE-----
        """

    private static let testKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgMk9O3jUuQdelFgjN
        Ft/Gs0NViGXcrg4n49D84gc25yChRANCAAQbbSxIrPXPFFHrJRfGjee/zSO/SKuB
        Op6ejjFimY0NTrmvcO1bB2iadWqrlndnpw1m7JujIqKl8mEC6eSgxkmn
        -----END PRIVATE KEY-----
        """
}
