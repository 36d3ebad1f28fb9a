/** The version of package.json (a test holds them equal): a bundle has no package.json next to it to ask. */
export const AGENT_VERSION = '0.1.0'
