/**
 * True when a program that the tests need is missing here, which is then said aloud: `describe.skipIf(lacks('nginx'))`.
 * `root` stands for the right to chroot and mount. With TEST_REQUIRE_ALL it throws instead: there nothing may be skipped.
 */
export declare function lacks(...tools: string[]): boolean
/** True where a skipped test counts as failed. */
export declare function requiresAll(): boolean
/** The path of a program; also from where Debian keeps those that are not for every user's PATH. */
export declare function findTool(name: string): string | undefined
/**
 * A port of 127.0.0.1 that nobody has at the moment, and that nobody is given either who connects, or listens on any: it can be left
 * and taken again, minutes later.
 */
export declare function freePort(): Promise<number>
