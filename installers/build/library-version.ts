/** A library of the embedded PostgreSQL: who publishes it, and the text in its binary that says its version. */
interface Library {
  /** The name under which vulnerabilities are published. */
  project: string
  /** The version is the first group. */
  version: RegExp
}

/** By the name before `.so`. Texts in a binary end with a zero byte. */
const LIBRARIES: Readonly<Record<string, Library>> = {
  libcrypto: { project: 'openssl', version: /OpenSSL (\d+\.\d+\.\d+[a-z]?) / },
  libssl: { project: 'openssl', version: /OpenSSL (\d+\.\d+\.\d+[a-z]?) / },
  libz: { project: 'zlib', version: / deflate (\d[\d.]+) Copyright/ },
  liblzma: { project: 'xz', version: /\0(5\.\d+\.\d+)\0/ },
  libxml2: { project: 'libxml2', version: /(?<!\d)(2[01]\d{3})(?:-[^\0]*)?\0/ },
  libxslt: { project: 'libxslt', version: /(?<!\d)(101\d\d)(?:-[^\0]*)?\0/ },
  'libossp-uuid': { project: 'ossp-uuid', version: /OSSP uuid (\d+\.\d+\.\d+) / },
}
/** Built with PostgreSQL and of its version. */
const OF_POSTGRES = /^lib(?:pq|ecpg|ecpg_compat|pgtypes)$/

/**
 * The project and version of a library by its binary: file names contain the version of the interface, which stays the same for
 * years. Throws for an unknown library, so that a new one is not listed with a wrong version.
 */
export function readLibraryVersion(file: string, binary: Buffer, postgresVersion: string): { project: string; version: string } {
  const [name = '', interfaceVersion = ''] = file.split('.so.')
  if (OF_POSTGRES.test(name)) return { project: 'postgresql', version: postgresVersion }
  // ICU alone numbers its interface like its releases.
  if (name.startsWith('libicu')) return { project: 'icu', version: interfaceVersion }
  const library = LIBRARIES[name]
  const found = library?.version.exec(binary.toString('latin1'))?.[1]
  if (library === undefined || found === undefined)
    throw new Error(`${file} does not say its version: see installers/build/library-version.ts`)
  return { project: library.project, version: /^\d{5}$/.test(found) ? dotted(found) : found }
}

/** 20904 is 2.9.4. */
const dotted = (digits: string) => [digits.slice(0, 1), digits.slice(1, 3), digits.slice(3)].map(Number).join('.')
