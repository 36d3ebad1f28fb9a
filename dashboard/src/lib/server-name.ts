/** The display name of a server, else its hostname. */
export const serverName = ({ display_name, hostname }: { display_name: string | null; hostname: string }): string =>
  display_name ?? hostname
