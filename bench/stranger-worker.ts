// A process that has nothing to do with the service, and works: `share` of a processor, a burst at a time, until it is told to end.
const BURST_MS = 10;

const share = Number(process.argv[2]);
const restMs = BURST_MS / share - BURST_MS;

function burst(): void {
  const end = performance.now() + BURST_MS;
  while (performance.now() < end);
  setTimeout(burst, Math.max(1, restMs));
}

process.once('disconnect', () => process.exit());
burst();
