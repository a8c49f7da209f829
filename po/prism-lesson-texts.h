/* prism-lesson-texts: what the lessons of data/lessons say, for translators. Printed by
 * data/lessons/list-texts.py; nothing includes it. */
#pragma once

#include <glib/gi18n-lib.h>

static const char *const prism_lesson_texts[] = {
  N_ ("What an aperture sees"),
  N_ ("One exposure through a small aperture, and many of them together."),
  N_ ("One exposure"),
  N_ ("The light of the moon falls on a plane of 256 × 256 points. The telescope's aperture"
      " is a disk of 20 points in radius in the middle of it; all other light is lost. A "
      "camera takes one frame."),
  N_ ("What will that one exposure of the moon look like?"),
  N_ ("A sharp moon, but much darker"),
  N_ ("A moon without its fine detail"),
  N_ ("A small piece of the moon"),
  N_ ("The plane holds the waves that the picture is made of: coarse ones in the middle, "
      "fine ones outside. An aperture in the middle passes the coarse waves of the whole "
      "moon, not a part of the moon."),
  N_ ("A smaller aperture"),
  N_ ("Two stars stand 16 px apart and shine in phase. The aperture is now 8 points in "
      "radius: less than half of what it was."),
  N_ ("What will one exposure of the two stars look like?"),
  N_ ("Two points"),
  N_ ("One spot that is longer than wide"),
  N_ ("Nothing: too little light"),
  N_ ("A small aperture makes each star a wide spot. This one resolves two points in phase "
      "from a distance of 0.82 · 256 / 8 = 26 px on; here they stand closer, and their "
      "spots flow into each other. Rayleigh's 0.61 is for stars whose light has nothing to "
      "do with each other. The reconstruction may show two stars all the same: it also uses"
      " that the object is nowhere negative and lies inside its square."),
  N_ ("The same aperture, eighty times"),
  N_ ("The aperture stays as small as it was, but goes to 80 positions. At each of them the"
      " camera takes a frame, and none of these frames is sharper than the last one."),
  N_ ("What comes out when one picture has to explain all of them?"),
  N_ ("The same long spot, with less noise"),
  N_ ("Two spots, still blurred"),
  N_ ("Two sharp stars"),
  N_ ("Each position adds the waves that pass there. Together they reach as far as the "
      "farthest position, though only three tenths of the plane were measured. That is what"
      " PRISM does. SSIM falls first and then stands still, since passes get stuck where "
      "apertures hardly overlap; it jumps when the exit waves of the frames are searched "
      "for."),
  N_ ("Bars out of focus"),
  N_ ("37 recorded frames of a test target, a tenth of a millimetre out of focus. What must"
      " a run find out to show its bars?"),
  N_ ("Taken for perfect"),
  N_ ("A microscope took these 37 frames, each with another LED of its board. The target "
      "has groups of three bars, and it lies out of focus. This run takes the objective for"
      " perfect and in focus. Eight frames are never used: the run has to predict them."),
  N_ ("Will the run show the bars?"),
  N_ ("Yes: many frames make up for a bad focus"),
  N_ ("No: every frame is understood wrongly"),
  N_ ("Focus is part of the model. Where it is wrong, the frame of one LED contradicts that"
      " of the next, and more frames bring more contradictions."),
  N_ ("Focus is searched for"),
  N_ ("The same frames. Now the run searches for the objective's aberrations, focus among "
      "them, and improves them with every pass. How far the target is out of focus is not "
      "given."),
  N_ ("How well will the frames that were never used be predicted? 1 is perfect, and noise "
      "allows 0.86."),
  N_ ("The focus follows from the frames: only with the right one do they agree. It is "
      "found about 0.14 mm away. The bars were in the frames all the time."),
  N_ ("The verdict"),
  N_ ("Bars are there to be counted. The run is made once more, with half of the LEDs: "
      "those nearest to the axis."),
  N_ ("What will the verdict be?"),
  N_ ("It fits: bars are bars"),
  N_ ("It does not fit: something is left that is no noise"),
  N_ ("A picture that looks right is no proof. The camera counted to 255, LEDs far out left"
      " it about twelve values, and the model misses something there. The verdict follows "
      "from frames, not from bars."),
  N_ ("Judging without truth"),
  N_ ("The true object of a telescope is not known. How a picture is checked all the same."),
  N_ ("A picture on trial"),
  N_ ("Forget the moon: at the end the program computes what the camera would have seen of "
      "its picture, and compares that with the exposures. 80 overlapping exposures, a "
      "hundredth of noise (20 dB)."),
  N_ ("It fits: what is left is noise"),
  N_ ("It does not fit: something else is left, too"),
  N_ ("Ambiguous: another picture fits as well"),
  N_ ("What is left is as strong as the camera's noise and no stronger. A better picture "
      "would not explain the exposures better, so that more cannot be asked for."),
  N_ ("A picture much like a moon"),
  N_ ("No noise at all, but apertures of 6 points that hardly touch, and ePIE. Its picture "
      "looks somewhat like a moon."),
  N_ ("Do the exposures reveal that something is wrong?"),
  N_ ("Yes: the picture does not fit them"),
  N_ ("No: it fits them, only not the moon"),
  N_ ("It leaves a thousandth of the light, where next to nothing should be left. Little as"
      " that is, it says without any knowledge of the moon that the search ended in the "
      "wrong place."),
  N_ ("Five exposures of bars"),
  N_ ("The object is a target of bars, 32 px wide. Five exposures with a hundredth of noise"
      " see an eighth of the plane."),
  N_ ("It fits: what is left is noise"),
  N_ ("It does not fit: something else is left, too"),
  N_ ("Ambiguous: another picture fits as well"),
  N_ ("The program looked for a second picture, and found one that is quite different and "
      "explains the exposures as well. An honest answer is: these measurements do not tell."),
  N_ ("What would decide it"),
  N_ ("The same bars, the same noise, but 40 exposures."),
  N_ ("What PSNR will the picture have?"),
  N_ ("More measurements leave one picture, and the verdict says that it fits them. A "
      "verdict cannot make up for measurements, but it can say that they are needed."),
  N_ ("The instrument lies"),
  N_ ("Swapped cables, a dead LED, a board in the mirror. Which of them does the LED map "
      "show?"),
  N_ ("A board that works"),
  N_ ("37 recorded frames of a test target, one for each LED. After the run the LED map has"
      " a point for each LED, coloured by how badly its frame is predicted."),
  N_ ("Which frames will be predicted worst?"),
  N_ ("Those of LEDs near the axis: there is most light"),
  N_ ("Those of LEDs far out: there is next to no light, and much of it is noise"),
  N_ ("All alike"),
  N_ ("Nine bright frames are met to about a tenth, those far out to half and worse. That "
      "is how a board looks that works. An error is what stands out from its neighbours."),
  N_ ("Two cables are swapped"),
  N_ ("The same frames, but somebody has swapped the cables of LEDs 3 and 7, which lie "
      "opposite each other. Their frames have each other's places."),
  N_ ("What will the map show?"),
  N_ ("Nothing: the picture takes up the error"),
  N_ ("Two LEDs that are met far worse than their neighbours"),
  N_ ("A whole board that is met worse, nobody knows why"),
  N_ ("Each of the two fits where the other was recorded, and the program says so. Both are"
      " among the frames that are never used, so that they do no harm: used ones would pull"
      " their neighbours along."),
  N_ ("An LED is dead"),
  N_ ("The cables are right again. LED 4 gives no light, and its frame shows what the "
      "camera shows in the dark."),
  N_ ("How much worse will the other frames be predicted?"),
  N_ ("Much worse: a dark frame means that nothing is there"),
  N_ ("Hardly: such a frame is detected and excluded"),
  N_ ("A frame without light differs from a dark object: its neighbours share most of its "
      "aperture, and they are bright. It is excluded, and the others hold enough."),
  N_ ("The board in the mirror"),
  N_ ("Finally the table of the LEDs has the wrong sign: y grows upwards where it should "
      "grow downwards."),
  N_ ("Will anybody notice?"),
  N_ ("No: a mirrored board gives a mirrored picture"),
  N_ ("Yes: the picture does not fit, and the run says what would fit better"),
  N_ ("A table given by hand is taken as it is, and then nothing fits. So the run tries "
      "other light, orders and boards for a few passes, and names what takes most of the "
      "error away: one axis of the positions, mirrored."),
  N_ ("Noise and what can be known"),
  N_ ("How much noise a picture bears, and what it takes to bear it."),
  N_ ("A thousandth of noise"),
  N_ ("Without noise this moon comes out at 49 dB. Now each exposure has shot noise: 30 dB,"
      " a thousandth of the signal's power."),
  N_ ("Hardly less than without noise. Eighty exposures overlap, so that every wave is "
      "measured several times, and their noise averages out."),
  N_ ("A tenth of noise"),
  N_ ("Now the noise is a tenth of the signal's power, 10 dB. A single exposure is visibly "
      "grainy."),
  N_ ("How good will the picture be?"),
  N_ ("Worse than the exposures: below 10 dB"),
  N_ ("As good as one of them: 10 to 20 dB"),
  N_ ("Better: 20 to 35 dB"),
  N_ ("Far better: above 35 dB"),
  N_ ("A picture has 48 × 48 unknown values, the exposures more than a million recorded "
      "ones. Chance differs from exposure to exposure, the moon does not."),
  N_ ("Another method"),
  N_ ("The same exposures go to ePIE, which makes a picture agree with one exposure after "
      "the other."),
  N_ ("How does its picture compare with the one before?"),
  N_ ("More than 5 dB worse"),
  N_ ("Within 5 dB"),
  N_ ("More than 5 dB better"),
  N_ ("ePIE explains noise as if it were moon. Knowing how strong the noise is, one stops "
      "there, and weighs bright and faint places as they deserve."),
  N_ ("A quarter of the exposures"),
  N_ ("PRISM once more, with the same noise, but 20 positions instead of 80."),
  N_ ("What PSNR is left?"),
  N_ ("Now most waves are measured once or not at all: nothing averages out, and what lies "
      "between the positions has to be guessed. Fewer exposures cost twice, by noise and by"
      " coverage."),
  N_ ("Overlap and phase"),
  N_ ("What becomes of a picture when neighbouring apertures share less and less of their "
      "light."),
  N_ ("Apertures that overlap"),
  N_ ("A camera counts light and loses the phase of the waves. Here 80 apertures of 10 "
      "points in radius cover the plane so that each shares much of its area with its "
      "neighbours. ePIE goes from one exposure to the next and corrects the picture."),
  N_ ("What PSNR does ePIE reach?"),
  N_ ("What two neighbours share must have one phase in both of them. So one exposure ties "
      "down the next, until all phases agree."),
  N_ ("Apertures that hardly touch"),
  N_ ("The same 80 positions, the same ePIE, but the radius is 6 points. Two thirds of the "
      "plane are still covered."),
  N_ ("How does the picture change?"),
  N_ ("More than 20 dB worse"),
  N_ ("5 to 20 dB worse"),
  N_ ("Less than 5 dB worse"),
  N_ ("This is the cliff. Hardly anything is shared, so that the phase of each exposure is "
      "free. The light is there, but nothing says how to put it together."),
  N_ ("The decoder alone"),
  N_ ("The same frames. Now a network that can only draw pictures is trained so that its "
      "picture comes as near to them as it can. It has never been trained on a moon, and "
      "its picture is not corrected afterwards."),
  N_ ("What PSNR does the decoder's picture have?"),
  N_ ("The decoder finds smooth outlines long before it finds noise. Its picture does not "
      "explain the frames to the last, but it is an orderly one, which shows the way beyond"
      " the cliff."),
  N_ ("PRISM as a whole"),
  N_ ("Still the same frames. PRISM searches for the exit wave of each frame, synchronises "
      "their phases, and goes on from there with all frames at once."),
  N_ ("How does the result compare with ePIE's where the apertures overlapped (45 dB)?"),
  N_ ("Far worse: below 35 dB"),
  N_ ("Somewhat worse: 35 to 42 dB"),
  N_ ("About the same: above 42 dB"),
  N_ ("The dark field around the moon and the smoothness of pictures replace the overlap. "
      "The frames held enough all along; ePIE could not find it."),
  N_ ("Prior against data"),
  N_ ("What of a picture was measured, what was assumed, and what that does to it."),
  N_ ("Ten exposures, nothing assumed"),
  N_ ("Ten exposures see a quarter of the Fourier plane. The program looks for a picture of"
      " the moon that explains all ten, and prefers none of those that do."),
  N_ ("The picture will explain all exposures. How near will it be to the moon?"),
  N_ ("Far off: below 25 dB"),
  N_ ("Near: 25 to 35 dB"),
  N_ ("Nearly the same: above 35 dB"),
  N_ ("To explain the data is not to be right: three quarters of the plane were never "
      "measured, and countless pictures agree with the quarter that was."),
  N_ ("A bet on plain areas"),
  N_ ("The same ten exposures. Of all pictures that explain them the program now takes the "
      "one with the least total variation: plain areas with sharp edges."),
  N_ ("How many dB does that bet bring?"),
  N_ ("A moon is much like that: seas and highlands with edges between them. The bet filled"
      " what was never measured, and this time it was a good one."),
  N_ ("The same bet on another object"),
  N_ ("The moon is gone; ten exposures look at a star of 36 fine spokes. Everything else "
      "stays as it was, and the exposures are explained again."),
  N_ ("How good is this picture?"),
  N_ ("Far off: below 25 dB"),
  N_ ("Near: 25 to 35 dB"),
  N_ ("Nearly the same: above 35 dB"),
  N_ ("Fine spokes are not plain areas. The bet is lost, and nothing in the exposures says "
      "so."),
  N_ ("Real, and never darker than black"),
  N_ ("White letters on black, ten exposures, and no bet on plain areas. One bet is left, "
      "which the program always makes: the object is real, never darker than black, never "
      "brighter than white."),
  N_ ("What PSNR do the letters have?"),
  N_ ("Nearly all of this picture is black or white, so that the two bounds alone decide "
      "it. On a grey moon they had little to say. An object with phases of its own would "
      "make the same bet a wrong one."),
  N_ ("Coverage and resolution"),
  N_ ("What coverage says of a picture, and what it does not."),
  N_ ("A small region, fully covered"),
  N_ ("The object is a star of 36 spokes. The aperture goes to 80 positions, but only "
      "inside a small disk in the middle of the Fourier plane, a quarter of its width. "
      "There it leaves no gap."),
  N_ ("The region is covered to 100 %. How good is the picture?"),
  N_ ("Poor: below 25 dB"),
  N_ ("Good: 25 to 40 dB"),
  N_ ("Nearly perfect: above 40 dB"),
  N_ ("Coverage counts only inside the region of interest. Waves finer than its radius were"
      " never measured, so that the fine spokes are missing, however well the coarse ones "
      "are known."),
  N_ ("A region twice as wide"),
  N_ ("Now the region of interest is twice as wide: half of the plane. The spokes get "
      "closer to each other towards the middle of the star."),
  N_ ("Draw a frame around the part of the star where the spokes will melt into a disk."),
  N_ ("The spokes melt where their distance is less than the finest measured wave. At half "
      "of the plane that is a disk of four tenths of the star's width."),
  N_ ("The whole plane"),
  N_ ("Now the same 80 positions are spread over the whole plane. Coverage stays as it was:"
      " 99 %."),
  N_ ("How many dB will the picture gain over the last one?"),
  N_ ("The outer ring holds the finest waves. A picture is as sharp as the farthest "
      "position that was visited, and as complete as the gaps between positions are small."),
};
