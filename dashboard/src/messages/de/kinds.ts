import type { KindTexts } from '../translation.ts'

const login = { username: { label: 'Benutzername' }, password: { label: 'Passwort' } }
const tls = {
  tls: { label: 'TLS', hint: 'Mit required gilt ein Server ohne TLS als ausgefallen' },
  verify_tls: { label: 'Zertifikat prüfen' },
}
const query = { label: 'Abfrage', hint: 'Eine Anweisung, die Zeilen liefert; sie läuft in einer Transaktion, die nur liest' }

export const kindTexts: KindTexts = {
  kinds: {
    http: {
      description: 'Sendet eine Anfrage über HTTP/1.1 oder HTTP/2 und prüft die Antwort.',
      fields: {
        bearer_token: { label: 'Bearer-Token', hint: 'gesendet als Authorization: Bearer' },
        client_certificate: { label: 'Client-Zertifikat', hint: 'PEM, für gegenseitiges TLS' },
        client_key: { label: 'Schlüssel des Client-Zertifikats', hint: 'PEM, ohne Passphrase' },
        oauth2_token_url: { label: 'Token-Endpunkt von OAuth 2', hint: 'Client Credentials (RFC 6749)' },
        oauth2_client_id: { label: 'Client-ID von OAuth 2' },
        oauth2_client_secret: { label: 'Client-Geheimnis von OAuth 2' },
        oauth2_scope: { label: 'Scope von OAuth 2' },
      },
    },
    dns: {
      description: 'Fragt einen Nameserver nach einem Eintrag und prüft die Antwort.',
      fields: {
        transport: { label: 'Transport', hint: 'UDP weicht bei langen Antworten auf TCP aus; tls ist DNS über TLS auf Port 853' },
        recursion: { label: 'Rekursion anfordern', hint: 'aus für autoritative Server' },
        verify_tls: { label: 'Zertifikat prüfen' },
      },
    },
    steps: {
      label: 'HTTP-Schritte',
      description: 'Sendet bis zu 10 Anfragen nacheinander und übernimmt Werte einer Antwort in die nächste Anfrage.',
      fields: {
        steps: { label: 'Schritte' },
        follow_redirects: { label: 'Weiterleitungen folgen' },
        verify_tls: { label: 'Zertifikat prüfen' },
        username: { label: 'Benutzername', hint: '{{username}} in einem Schritt' },
        password: { label: 'Passwort', hint: '{{password}} in einem Schritt' },
        token: { label: 'Token', hint: '{{token}} in einem Schritt' },
      },
    },
    composite: {
      label: 'Gruppe',
      description:
        'Fasst Monitore, Server und deren Teile zusammen: ausgefallen, wenn so viele von ihnen ausfallen, wie die Regel sagt.',
      fields: {
        members: { label: 'Mitglieder' },
        down_when: { label: 'Ausgefallen, wenn' },
        degraded_when: { label: 'Beeinträchtigt, wenn' },
        manual_status: { label: 'Status', hint: 'Für das, was nur Menschen wissen; anstelle von Mitgliedern' },
      },
    },
    domain: { label: 'Domain-Registrierung', description: 'Liest per RDAP oder WHOIS, bis wann eine Domain registriert ist.' },
    heartbeat: {
      label: 'Heartbeat',
      description: 'Wartet auf Pings eines Jobs; ausgefallen, wenn einer nicht rechtzeitig kommt oder einen Fehlschlag meldet.',
      fields: {
        schedule: { label: 'Zeitplan' },
        token: {
          label: 'Ping-Token',
          hint: 'Leer: ein neues wird erzeugt. Tokens von Healthchecks und Uptime Kuma können übernommen werden.',
        },
      },
    },
    icmp: {
      description: 'Sendet ICMP-Echo-Anfragen und misst Verlust, Laufzeiten und Jitter.',
      fields: {
        packets: { label: 'Pakete', hint: 'im Abstand von 200 ms' },
        packet_bytes: { label: 'Paketgröße', hint: 'Bytes der Nutzdaten' },
        family: { label: 'Adressfamilie' },
      },
    },
    tcp: {
      label: 'TCP-Port',
      description: 'Öffnet eine Verbindung, sendet auf Wunsch einen Text und erwartet einen anderen.',
      fields: {
        send: {
          label: 'Senden',
          hint: String.raw`wird nach dem Verbinden gesendet; \r, \n, \t, \0, \\ und \xHH sind Escapes`,
        },
        expect: { label: 'Erwarten', hint: 'muss in den ersten 64 KiB der Antwort vorkommen; dieselben Escapes' },
      },
    },
    tls: {
      description: 'Führt einen TLS-Handshake aus, auch nach STARTTLS, und prüft Zertifikat und Protokoll.',
      fields: {
        starttls: { hint: 'wie die Verbindung von Klartext zu TLS wechselt' },
        server_name: {
          label: 'Servername',
          hint: 'wird dem Server gesendet und im Zertifikat erwartet; sonst der Host der URL',
        },
        verify_tls: { label: 'Zertifikat prüfen' },
      },
    },
    postgres: {
      description: 'Meldet sich an einer PostgreSQL-Datenbank an und liest das Ergebnis einer Abfrage.',
      fields: { ...login, ...tls, query },
    },
    redis: {
      description: 'Meldet sich an Redis an und liest das Ergebnis eines Befehls.',
      fields: {
        ...login,
        ...tls,
        command: {
          label: 'Befehl',
          hint: 'Ein lesender Befehl wie PING, GET, LLEN; INFO mit einem Feld: INFO connected_clients',
        },
      },
    },
    mysql: {
      description: 'Meldet sich an einer MySQL- oder MariaDB-Datenbank an und liest das Ergebnis einer Abfrage.',
      fields: { ...login, ...tls, query },
    },
    ftp: {
      description:
        'Begrüßt einen Dateiserver, meldet sich auf Wunsch an und listet auf Wunsch einen Ordner auf. Übertragen wird nichts.',
      fields: {
        ...login,
        ...tls,
        tls: { hint: 'starttls: mit AUTH TLS; implicit: vom ersten Byte an' },
        list: {
          label: 'Ordner auflisten',
          hint: 'über eine passive Datenverbindung, die eine Firewall allein sperren kann',
        },
      },
    },
    mongodb: {
      description: 'Liest den Zustand eines MongoDB-Servers, meldet sich auf Wunsch an und sendet ein Ping.',
      fields: {
        ...login,
        ...tls,
        auth_source: { label: 'Datenbank des Benutzers', hint: 'Leer: die der URL, sonst admin' },
      },
    },
    mqtt: {
      description: 'Verbindet sich mit einem MQTT-Broker und wartet auf eine Nachricht, wenn die URL ein Thema nennt.',
      fields: {
        ...login,
        verify_tls: tls.verify_tls,
        protocol_version: { label: 'Protokollversion' },
        message: {
          label: 'Nachricht',
          hint: 'any: die erste; retained: eine, die der Broker aufbewahrt; new: eine, die während der Prüfung veröffentlicht wird',
        },
        client_id: {
          label: 'Client-ID',
          hint: 'Leer: jede Prüfung hat eine eigene; bei derselben ID an zwei Clients schließt der Broker einen davon',
        },
      },
    },
    ntp: { description: 'Fragt einen Zeitserver nach der Zeit und vergleicht sie mit der Uhr des Prüfers.' },
    radius: {
      description: 'Meldet sich über einen RADIUS-Server an oder fragt ohne Benutzername nach seinem Zustand.',
      fields: {
        ...login,
        shared_secret: { label: 'Gemeinsames Geheimnis', hint: 'des Servers und dieses Clients' },
        nas_identifier: { label: 'Name des Clients', hint: 'NAS-Identifier, nach dem ein Server seine Regeln wählen kann' },
        require_message_authenticator: {
          label: 'Message-Authenticator verlangen',
          hint: 'An: eine Antwort ohne ihn gilt als Ausfall (RFC 3579; ohne ihn ist sie fälschbar, CVE-2024-3596)',
        },
      },
    },
    ssh: {
      description:
        'Liest die Version eines SSH-Servers und seinen Hostschlüssel, der sich ausweisen muss. Niemand meldet sich an.',
      fields: {
        host_key: {
          label: 'Hostschlüssel',
          hint: 'Welcher der Schlüssel des Servers; any: ed25519, sonst ecdsa, sonst rsa',
        },
      },
    },
    smtp: {
      description: 'Begrüßt einen Mailserver, meldet sich auf Wunsch an und sendet keine E-Mail.',
      fields: { ...login, ...tls, tls: { hint: 'implicit: vom ersten Byte an' } },
    },
    imap: {
      description: 'Begrüßt einen Postfachserver, meldet sich auf Wunsch an und liest keine E-Mail.',
      fields: { ...login, ...tls, tls: { hint: 'implicit: vom ersten Byte an' } },
    },
    websocket: {
      description: 'Öffnet einen WebSocket und wartet auf ein Pong oder eine Nachricht.',
      fields: {
        bearer_token: { label: 'Bearer-Token', hint: 'wird als Authorization: Bearer gesendet' },
        verify_tls: tls.verify_tls,
        send: { label: 'Senden', hint: 'Eine Textnachricht' },
        expect: { label: 'Erwarten', hint: 'Eine Nachricht muss diesen Text enthalten' },
        subprotocol: { label: 'Unterprotokoll', hint: 'Der Server muss es annehmen' },
      },
    },
    udp: {
      label: 'UDP-Port',
      description: 'Sendet ein Datagramm und wartet auf eine Antwort, auf Wunsch mit einem bestimmten Text.',
      fields: {
        send: { label: 'Senden', hint: String.raw`das Datagramm; \r, \n, \t, \0, \\ und \xHH sind Escapes` },
        expect: {
          label: 'Erwarten',
          hint: 'muss in dem vorkommen, was geantwortet wird; dieselben Escapes. Ohne ihn genügt jede Antwort.',
        },
      },
    },
    snmp: {
      description: 'Liest Werte eines Routers, Switches, Druckers, NAS oder einer USV per SNMP.',
      fields: {
        version: { hint: 'nur Version 3 beweist, wer antwortet, und verbirgt, was gelesen wird' },
        oids: {
          label: 'Werte',
          hint: 'einer je Zeile: OID, Name und bei Bedarf number, text, timeticks oder mac; ohne einen die Zeit seit dem Start',
        },
        security_name: { label: 'Benutzername', hint: 'von Version 3' },
        security_level: { label: 'Sicherheitsstufe', hint: 'von Version 3' },
        auth: { label: 'Authentisierung', hint: 'von Version 3' },
        priv: { label: 'Verschlüsselung', hint: 'von Version 3; aes256c ist die Schlüsselerweiterung von Cisco' },
        context: { label: 'Kontext', hint: 'von Version 3' },
        retries: { label: 'Wiederholungen', hint: 'einer Anfrage ohne Antwort' },
        community: { hint: 'der Versionen 1 und 2c' },
        auth_password: { label: 'Passwort der Authentisierung', hint: 'von Version 3, mindestens 8 Zeichen' },
        priv_password: { label: 'Passwort der Verschlüsselung', hint: 'von Version 3, mindestens 8 Zeichen' },
      },
    },
    sip: {
      description: 'Befragt eine Telefonanlage oder einen Trunk mit OPTIONS.',
      fields: {
        transport: { label: 'Transport', hint: 'sips:// benutzt TLS' },
        verify_tls: tls.verify_tls,
        user: { label: 'Benutzer', hint: 'dessen Adresse befragt wird; ohne ihn der Server selbst' },
      },
    },
    rtsp: {
      description: 'Befragt eine Kamera oder einen Streaming-Server mit OPTIONS oder DESCRIBE.',
      fields: {
        ...login,
        method: { label: 'Anfrage', hint: 'DESCRIBE braucht auch den Stream' },
        verify_tls: tls.verify_tls,
      },
    },
    ldap: {
      description: 'Meldet sich an einem Verzeichnis an und sucht auf Wunsch einen Eintrag.',
      fields: {
        username: { label: 'Benutzername', hint: 'ein DN wie cn=monitor,dc=example,dc=com' },
        password: login.password,
        starttls: { label: 'StartTLS', hint: 'ein Server ohne es gilt als ausgefallen' },
        verify_tls: tls.verify_tls,
        filter: { label: 'Filter', hint: 'wie (uid=ada), gesucht unter dem Pfad der URL; ohne ihn keine Suche' },
        scope: { label: 'Umfang der Suche' },
        attribute: { label: 'Attribut', hint: 'dessen erster Wert ein Fakt ist' },
      },
    },
    upstream: {
      label: 'Statusseite anderer',
      description: 'Liest die Statusseite eines Anbieters und übernimmt die schlechteste der gewählten Komponenten.',
      fields: {
        components: { label: 'Komponenten', hint: 'eine je Zeile, wie die Seite sie nennt; ohne eine die ganze Seite' },
        verify_tls: tls.verify_tls,
      },
    },
    grpc: {
      description: 'Fragt einen gRPC-Server nach dem Zustand eines Dienstes.',
      fields: {
        bearer_token: { label: 'Bearer-Token', hint: 'wird als Authorization: Bearer gesendet' },
        verify_tls: tls.verify_tls,
      },
    },
  },
  facts: {
    alpn: 'ALPN-Protokoll',
    ipv4_ms: 'Antwortzeit über IPv4',
    ipv6_ms: 'Antwortzeit über IPv6',
    body_json: 'Inhalt als JSON',
    body_size: 'Größe des Inhalts',
    final_url: 'Letzte URL',
    expected_failure: 'Erwarteter Fehler',
    duration: 'Dauer',
    packet_loss: 'Paketverlust',
    rtt_min_ms: 'Kürzeste Laufzeit',
    rtt_avg_ms: 'Mittlere Laufzeit',
    rtt_max_ms: 'Längste Laufzeit',
    jitter_ms: 'Jitter',
    rcode: 'Antwortcode',
    values: 'Werte',
    answer_count: 'Antworten',
    ttl: 'Gültigkeit (TTL)',
    authenticated: 'Bestätigt (AD)',
    soa_serial: 'Seriennummer der Zone',
    domain_expiry: 'Restlaufzeit der Domain',
    registrar: 'Registrar',
    expires_at: 'Registriert bis',
    tls_protocol: 'TLS-Version',
    cipher: 'Verschlüsselung',
    chain_length: 'Zertifikate der Kette',
    cell: 'Erste Zelle',
    rows: 'Zeilen',
    server_version: 'Version des Servers',
    greeting: 'Begrüßung',
    entries: 'Einträge des Ordners',
    role: 'Rolle',
    replica_set: 'Replica Set',
    topic: 'Thema der Nachricht',
    retained: 'Aufbewahrte Nachricht',
    offset_ms: 'Abweichung der Uhr',
    stratum: 'Stratum',
    root_delay_ms: 'Laufzeit zur Referenz',
    root_dispersion_ms: 'Unsicherheit der Uhr',
    reference: 'Referenz',
    leap: 'Schaltsekunde',
    reply: 'Antwort',
    reply_message: 'Text der Antwort',
    fingerprint: 'Fingerabdruck',
    host_key_type: 'Art des Hostschlüssels',
    software: 'Software',
    serving_status: 'Zustand des Dienstes',
    grpc_status: 'gRPC-Status',
    snmp_value: 'Wert',
    methods: 'Methoden',
    media: 'Medien',
    entry: 'Eintrag',
    attribute: 'Attribut',
    incident: 'Störung',
    impact: 'Auswirkung',
    updated_at: 'Aktualisiert',
    components: 'Komponenten',
  },
}
