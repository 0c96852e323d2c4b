// A process without any relation to the service that works: `share` of a processor, in bursts, until it is ended.
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
