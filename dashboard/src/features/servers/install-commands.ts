/** How to install the agent: by the script of this backend, in one of the ways that people run scripts, or from a clone. */
export const INSTALL_METHODS = ['unix', 'windows', 'docker', 'compose', 'cloudInit', 'ansible', 'clone'] as const
export type InstallMethod = (typeof INSTALL_METHODS)[number]

export interface InstallTarget {
  /** Where the host reaches the backend. */
  url: string
  /** What install.sh of the backend takes for that address. */
  scriptUrl: string
  token: string
}

/** Whether only this machine reaches the address. */
export const isLoopback = (origin: string): boolean => /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(origin).hostname)

/** The agent needs the option for plain HTTP, except on loopback. */
export const needsAllowHttp = (origin: string): boolean => new URL(origin).protocol === 'http:' && !isLoopback(origin)

/** The address of the backend that install.sh has, as the backend filled it in. */
export function urlInScript(script: string): string | undefined {
  const word = /^BACKEND_URL='(.*)'$/m.exec(script)?.[1]?.replaceAll(String.raw`'\''`, "'")
  return word !== undefined && URL.canParse(word) ? word : undefined
}

/**
 * The address for hosts: the configured one, which the script has, or that of this page. The page knows the scheme of its own host,
 * which a proxy may hide from the backend, and an address that only this machine reaches is never the better one.
 */
export function addressForHosts(scriptUrl: string | undefined, page: string): string {
  const isPage = scriptUrl === undefined || isLoopback(scriptUrl) || new URL(scriptUrl).host === new URL(page).host
  return isPage ? page : scriptUrl
}

/** An image with curl and what Node needs. */
const IMAGE = 'buildpack-deps:curl'

/** What to run on the host, or to write into a file of its. */
export function installCommands(method: InstallMethod, target: InstallTarget): string[] {
  const { url, token } = target
  const line = `curl -fsSL ${url}/install.sh | sh -s -- ${argumentsOf(target)}`
  switch (method) {
    case 'unix':
      return [line.replace('| sh', '| sudo sh')]
    case 'windows': {
      const options = [...(target.scriptUrl === url ? [] : ['-Url', url]), ...(needsAllowHttp(url) ? ['-AllowHttp'] : [])]
      return [`& ([scriptblock]::Create((irm ${url}/install.ps1))) ${[...options, token].join(' ')}`]
    }
    case 'docker':
      return [
        'docker run -d --name vedette-agent --restart unless-stopped --network host --pid host \\',
        '  -v /:/host:ro,rslave -v vedette-agent:/var/lib/vedette \\',
        `  ${containerEnvironment(url)
          .map(([name, value]) => `-e ${name}=${value}`)
          .join(' ')} \\`,
        `  ${IMAGE} sh -c '${inContainer(target)}'`,
      ]
    case 'compose':
      return [
        'services:',
        '  vedette-agent:',
        `    image: ${IMAGE}`,
        '    restart: unless-stopped',
        '    network_mode: host',
        '    pid: host',
        '    environment:',
        ...containerEnvironment(url).map(([name, value]) => `      ${name}: "${value}"`),
        '    volumes:',
        '      - /:/host:ro,rslave',
        '      - vedette-agent:/var/lib/vedette',
        `    command: ["sh", "-c", "${inContainer(target)}"]`,
        'volumes:',
        '  vedette-agent:',
      ]
    case 'cloudInit':
      return ['#cloud-config', 'runcmd:', `  - ${line}`]
    case 'ansible':
      return [
        '- hosts: all',
        '  become: true',
        '  tasks:',
        '    - name: Vedette agent',
        `      ansible.builtin.shell: ${line}`,
        '      args:',
        '        creates: /opt/vedette-agent/current',
        '      no_log: true',
      ]
    case 'clone':
      return cloneCommands(target)
  }
}

/** Of install.sh: what its own address does not say, and the token. */
function argumentsOf({ url, scriptUrl, token }: InstallTarget): string {
  return [...(url === scriptUrl ? [] : ['--url', url]), ...(needsAllowHttp(url) ? ['--allow-http'] : []), token].join(' ')
}

/** As a file, so that the agent takes the place of the shell and gets the signals of the container. */
const inContainer = (target: InstallTarget): string =>
  `curl -fsSL ${target.url}/install.sh > /run/install.sh && exec sh /run/install.sh --foreground ${argumentsOf(target)}`

const containerEnvironment = (url: string): (readonly [string, string])[] => [
  ['VEDETTE_AGENT_HOST_ROOT', '/host'],
  ['VEDETTE_AGENT_URL', url],
  ...(needsAllowHttp(url) ? [['VEDETTE_AGENT_ALLOW_HTTP', 'true'] as const] : []),
]

/** The token is passed in a file that only its owner can read. */
function cloneCommands({ url, token }: InstallTarget): string[] {
  const agent = 'npm run -s vedette-agent --'
  const leave = needsAllowHttp(url) ? ' --allow-http' : ''
  return [
    `(umask 077; printf '%s' '${token}' > vedette.key)`,
    `${agent} register --url ${url} --api-key-file vedette.key${leave} && rm vedette.key`,
    `${agent} run`,
  ]
}
