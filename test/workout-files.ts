// Files of workouts as watches write them, with invented values.
import { FitBaseType, FitEncoder } from 'fit-file-parser/encoder';

const START = Date.UTC(2026, 0, 5, 14);

export type FitPoint = { second: number; heartrate?: number; distance?: number; altitude?: number };

const field = (number: number, size: number, baseType: FitBaseType, value: number) => ({
  number,
  size,
  baseType,
  value,
});
const fitTime = (second: number): number => FitEncoder.toFitTimestamp(new Date(START + second * 1_000));
const semicircles = (degrees: number): number => Math.round((degrees * 2 ** 31) / 180);

/** A trail run of a Garmin watch, in Phoenix (seven hours behind UTC), with numbers of the FIT profile. */
export function fitFile(points: FitPoint[], { sport = 1, kind = 3 }: { sport?: number; kind?: number } = {}): Buffer {
  const { Enum, Uint8, Uint16, Uint32, Sint32 } = FitBaseType;
  const end = points.at(-1)?.second ?? 0;
  const file = new FitEncoder();
  file.writeMessage(0, [field(0, 1, Enum, 4), field(1, 2, Uint16, 1), field(4, 4, Uint32, fitTime(0))]);
  for (const { second, heartrate = 0xff, distance = 0, altitude = 300 } of points) {
    file.writeMessage(20, [
      field(253, 4, Uint32, fitTime(second)),
      field(0, 4, Sint32, semicircles(33.4)),
      field(1, 4, Sint32, semicircles(-112)),
      field(2, 2, Uint16, (altitude + 500) * 5),
      field(3, 1, Uint8, heartrate),
      field(5, 4, Uint32, distance * 100),
    ]);
  }
  file.writeMessage(18, [
    field(253, 4, Uint32, fitTime(end)),
    field(2, 4, Uint32, fitTime(0)),
    field(5, 1, Enum, sport),
    field(6, 1, Enum, kind),
    field(7, 4, Uint32, end * 1_000),
    field(8, 4, Uint32, end * 1_000),
    field(9, 4, Uint32, (points.at(-1)?.distance ?? 0) * 100),
    field(11, 2, Uint16, 12),
    field(22, 2, Uint16, 7),
  ]);
  file.writeMessage(34, [
    field(253, 4, Uint32, fitTime(end)),
    field(5, 4, Uint32, fitTime(end) - 7 * 3_600),
    field(1, 2, Uint16, 1),
  ]);
  return Buffer.from(file.close());
}

export const tcxFile = (points: string[]): string => `<?xml version="1.0" encoding="UTF-8"?>
<TrainingCenterDatabase xmlns="http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2" xmlns:ns3="http://www.garmin.com/xmlschemas/ActivityExtension/v2">
 <Activities><Activity Sport="Biking"><Id>2026-01-05T14:00:00Z</Id>
  <Lap StartTime="2026-01-05T14:00:00Z">
   <TotalTimeSeconds>60</TotalTimeSeconds><DistanceMeters>500</DistanceMeters><MaximumSpeed>9.5</MaximumSpeed>
   <Calories>20</Calories><AverageHeartRateBpm><Value>121</Value></AverageHeartRateBpm><MaximumHeartRateBpm><Value>130</Value></MaximumHeartRateBpm>
   <Track>${points.join('')}</Track>
  </Lap>
  <Lap StartTime="2026-01-05T14:01:00Z"><TotalTimeSeconds>60</TotalTimeSeconds><DistanceMeters>400</DistanceMeters><Calories>15</Calories></Lap>
  <Creator><Name>Polar Vantage</Name></Creator>
 </Activity></Activities>
</TrainingCenterDatabase>`;

export const tcxPoint = (second: number, heartrate: number): string =>
  `<Trackpoint><Time>${new Date(START + second * 1_000).toISOString()}</Time><Position><LatitudeDegrees>33.4</LatitudeDegrees>` +
  `<LongitudeDegrees>-112</LongitudeDegrees></Position><AltitudeMeters>310</AltitudeMeters><DistanceMeters>${second * 8}</DistanceMeters>` +
  `<HeartRateBpm><Value>${heartrate}</Value></HeartRateBpm><Cadence>85</Cadence>` +
  `<Extensions><ns3:TPX><ns3:Speed>8</ns3:Speed><ns3:Watts>210</ns3:Watts></ns3:TPX></Extensions></Trackpoint>`;

export const gpxFile = (points: string[]): string => `<?xml version="1.0" encoding="UTF-8"?>
<gpx creator="StravaGPX" version="1.1" xmlns="http://www.topografix.com/GPX/1/1" xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v1">
 <metadata><time>2026-01-05T14:00:00Z</time></metadata>
 <trk><name>Morning walk</name><type>walking</type><trkseg>${points.join('')}</trkseg></trk>
</gpx>`;

export const gpxPoint = (
  second: number,
  { lat = 33.4, heartrate = 100 }: { lat?: number; heartrate?: number },
): string =>
  `<trkpt lat="${lat}" lon="-112.0"><ele>340.5</ele><time>${new Date(START + second * 1_000).toISOString()}</time>` +
  `<extensions><gpxtpx:TrackPointExtension><gpxtpx:hr>${heartrate}</gpxtpx:hr><gpxtpx:cad>55</gpxtpx:cad></gpxtpx:TrackPointExtension></extensions></trkpt>`;
